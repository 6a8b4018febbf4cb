import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { getPath } from 'hono/utils/url'
import { badRequest, MillraceError } from '../../errors/index.ts'
import type { StripBase } from '../requests/base-path.ts'
import { toErrorResponse } from '../requests/error-response.ts'
import { toProtocolRoute } from '../protocols/carry-out.ts'
import type { OfferedRoute } from '../protocols/protocols.ts'
import type { ServerContext } from '../server-context.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

const openPaths: ReadonlySet<string> = new Set(
  routes.flatMap(({ path, isOpen: isFree = false }) => (isFree ? [path] : [])),
)

/** Whether the route of a request requires no token. */
export function isOpen({ url }: Request, stripBase: StripBase): boolean {
  return openPaths.has(stripBase(new URL(url).pathname))
}

/** A route that serves requests. */
type ServedRoute = Pick<Route, 'method' | 'path' | 'respond'>

/** Creates the routes from their table: each validates a request, checks access, and does one thing. */
export function createRoutes(context: ServerContext, stripBase: StripBase): Hono {
  const app = new Hono({ getPath: (request) => stripBase(getPath(request)) })
  const served: ServedRoute[] = [...routes]
  for (const offered of context.protocols.routes) {
    checkFree(offered, served)
    served.push(toServed(offered))
  }
  for (const path of new Set(served.map((route) => route.path))) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    const offered = served.filter((route) => route.path === path)
    for (const { method, respond } of offered) {
      app.on(method, pattern, ({ req }) => respond(context, req.raw, req.param()))
    }
    app.all(pattern, ({ req }) => {
      throw wrongMethod(req.method, path, offered)
    })
  }
  app.notFound(({ req }) =>
    toErrorResponse(routeMissing(req.method, getPath(req.raw), context), context.onError),
  )
  app.onError((error) =>
    error instanceof HTTPException && error.res !== undefined
      ? error.res
      : toErrorResponse(error, context.onError),
  )
  return app
}

/** Creates the route of a protocol, whose code is loaded with the first request. */
function toServed(offered: OfferedRoute): ServedRoute {
  let route: Route | undefined
  return {
    ...offered,
    respond: async (context, request, parameters) => {
      route ??= await toProtocolRoute(offered)
      return route.respond(context, request, parameters)
    },
  }
}

/** Rejects a route whose requests an earlier one with the same method would serve. */
function checkFree({ protocol, method, path }: OfferedRoute, served: readonly ServedRoute[]): void {
  const example = path.replace(/\{\w+\}/g, 'x')
  const taken = served.find((route) => {
    const pattern = route.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')
    return route.method === method && new RegExp(`^${pattern}$`).test(example)
  })
  if (taken === undefined) return
  throw badRequest(
    `The protocol ${protocol} has the route ${method} ${path}, which conflicts with ${taken.path}; give it another path.`,
  )
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
    `${path} does not support ${method.slice(0, 20)}; use ${allow}.`,
    { details: { allow } },
  )
}

function routeMissing(
  method: string,
  path: string,
  { basePath }: Pick<ServerContext, 'basePath'>,
): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no route ${method} ${path.slice(0, 120)}; GET ${basePath}/openapi.json lists the routes.`,
  )
}
