import { handler } from './handler.js'
import { hostname, port } from './listen-options.js'

Deno.serve(
  {
    hostname,
    port,
    onListen: (address) => {
      console.log(`Listening on http://${hostname}:${address.port}`)
      void handler.recover()
    },
  },
  handler.fetch,
)
