import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { MillraceError } from '../../errors/index.ts'
import { toErrorResponse } from '../requests/error-response.ts'
import type { ServerContext } from '../server-context.ts'
import { routes } from './routes.ts'

const openPaths: ReadonlySet<string> = new Set(
  routes.flatMap(({ path, isOpen: isFree = false }) => (isFree ? [path] : [])),
)

/** Tells whether a request is for a route that asks for no token. */
export function isOpen({ url }: Request): boolean {
  return openPaths.has(new URL(url).pathname)
}

/** Builds the routes from their table: each reads a request, asks whether it may, and does one thing. */
export function createRoutes(context: ServerContext): Hono {
  const app = new Hono()
  for (const path of new Set(routes.map((route) => route.path))) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    const offered = routes.filter((route) => route.path === path)
    for (const { method, respond } of offered) {
      app.on(method, pattern, ({ req }) => respond(context, req.raw, req.param()))
    }
    app.all(pattern, ({ req }) => {
      throw wrongMethod(req.method, path, offered)
    })
  }
  app.notFound(({ req }) => toErrorResponse(routeMissing(req.method, req.path), context.onError))
  app.onError((error) =>
    error instanceof HTTPException && error.res !== undefined
      ? error.res
      : toErrorResponse(error, context.onError),
  )
  return app
}

function wrongMethod(
  method: string,
  path: string,
  offered: readonly { readonly method: string }[],
): MillraceError {
  const methods = offered.map((route) => (route.method === 'GET' ? 'GET, HEAD' : route.method))
  const allow = methods.join(', ')
  return new MillraceError(
    'method_not_allowed',
    `${path} does not take ${method.slice(0, 20)}; use ${allow}.`,
    { details: { allow } },
  )
}

function routeMissing(method: string, path: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no ${method} ${path.slice(0, 120)}; GET /openapi.json lists what there is.`,
  )
}
