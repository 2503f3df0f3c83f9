print("roomcast")
