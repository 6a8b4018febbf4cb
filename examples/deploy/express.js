import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { handler } from './handler.js'
import { hostname, port } from './listen-options.js'

const app = express()
// Before express.json(), which would read the body. Express removes the mount path from the address.
app.use('/mill', getRequestListener(handler.fetch))
app.get('/', (_, response) => void response.send('The agent is at /mill.'))

const server = app.listen(port, hostname, () => {
  console.log(`Listening on http://${hostname}:${server.address().port}`)
  void handler.recover()
})
