import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { handler } from './handler.js'
import { hostname, port } from './listen-options.js'

// `serve({ handler })` of millrace/node does this, bounds connections and ends slow readers.
const answer = getRequestListener(handler.fetch)
const server = createServer((request, response) => void answer(request, response))
server.listen(port, hostname, () => {
  console.log(`Listening on http://${hostname}:${server.address().port}`)
  void handler.recover()
})
