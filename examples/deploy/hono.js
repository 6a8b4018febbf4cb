import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { handler } from './handler.js'
import { hostname, port } from './listen-options.js'

const app = new Hono()
// `mount` removes the path from the address.
app.mount('/mill', handler.fetch)
app.get('/', (context) => context.text('The agent is at /mill.'))

serve({ fetch: app.fetch, hostname, port }, (address) => {
  console.log(`Listening on http://${hostname}:${address.port}`)
  void handler.recover()
})
