/**
 * Runs an action of the page that is repeated after a reconnect: its failure while the client is
 * cut off is no fault.
 * @param {{state: string, isCutOff: boolean}} client
 * @throws the action's error if the client is in the room
 */
export async function unlessCutOff(client, action) {
  try {
    await action();
  } catch (error) {
    if (client.state === "joined" && !client.isCutOff) throw error;
  }
}
