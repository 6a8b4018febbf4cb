import { handler } from './handler.js'
import { hostname, port } from './listen-options.js'

const server = Bun.serve({
  hostname,
  port,
  // A stream may be silent for longer than the ten seconds after which Bun closes a connection.
  idleTimeout: 0,
  fetch: handler.fetch,
})
console.log(`Listening on http://${hostname}:${server.port}`)
void handler.recover()
