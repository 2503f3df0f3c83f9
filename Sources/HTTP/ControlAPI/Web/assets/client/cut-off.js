/**
 * Does what a page does by itself, and does again as soon as it is back in the room: that it was cut
 * off meanwhile is no fault.
 * @param {{state: string}} client
 * @throws what the action throws while the client is in the room
 */
export async function unlessCutOff(client, action) {
  try {
    await action();
  } catch (error) {
    if (client.state === "joined") throw error;
  }
}
