import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { MillraceError } from '../errors/index.ts'
import { toErrorResponse } from './error-response.ts'
import { getSession, getSessions, getStream } from './get-routes.ts'
import { getHealth } from './health.ts'
import type { House } from './house.ts'
import { postApprovals, postResults, postRun, postSteer, postStop } from './post-routes.ts'

/** Builds the routes: each reads a request, asks whether it may, and does one thing. */
export function createRoutes(house: House): Hono {
  const app = new Hono()
  app.get('/health', ({ req }) => getHealth(house, req.raw))
  app.post('/agent/run', ({ req }) => postRun(house, req.raw))
  app.post('/agent/tool_results', ({ req }) => postResults(house, req.raw))
  app.post('/agent/tool_approvals', ({ req }) => postApprovals(house, req.raw))
  app.post('/agent/:session/stop', ({ req }) => postStop(house, req.raw, req.param('session')))
  app.post('/agent/:session/steer', ({ req }) => postSteer(house, req.raw, req.param('session')))
  app.get('/agent/sessions', (context) => getSessions(house, context))
  app.get('/agent/:session', (context) => getSession(house, context))
  app.get('/agent/:session/stream', (context) => getStream(house, context))
  app.notFound(({ req }) => toErrorResponse(routeMissing(req.method, req.path), house.onError))
  app.onError((error) =>
    error instanceof HTTPException && error.res !== undefined
      ? error.res
      : toErrorResponse(error, house.onError),
  )
  return app
}

function routeMissing(method: string, path: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no ${method} ${path.slice(0, 120)}; see GET /health, POST /agent/run and GET /agent/{uuid}/stream.`,
  )
}
