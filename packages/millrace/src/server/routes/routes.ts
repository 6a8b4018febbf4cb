import { getHealth } from '../health.ts'
import { toProtocolRoute } from '../protocols/carry-out.ts'
import type { ServerContext } from '../server-context.ts'
import { branchesRoute, forkRoute } from './branch-routes.ts'
import { approvalsRoute, claimsRoute, resultsRoute } from './answer-routes.ts'
import { deleteRoute, renameRoute, steerRoute, stopRoute, withdrawRoute } from './control-routes.ts'
import { doctorRoute } from './doctor-route.ts'
import { fileRoute, imageRoute, uploadRoute } from './file-routes.ts'
import { answerSchemas, defineRoute, type Route } from './route.ts'
import { commandsRoute, produceRoute } from './produce-routes.ts'
import { runFormRoute, runRoute } from './run-routes.ts'
import { shareRoute, unshareRoute } from './share-routes.ts'
import {
  conversationsRoute,
  decisionsRoute,
  sessionRoute,
  sessionsRoute,
  streamRoute,
  timesRoute,
} from './session-routes.ts'

const healthRoute = defineRoute({
  method: 'GET',
  path: '/health',
  summary: 'Reports whether the server can serve; 503 if its store fails.',
  answer: {
    description: 'The status, with details for authorized requests.',
    content: async () => (await answerSchemas()).healthAnswer,
    illStatus: 503,
  },
  errors: ['internal'],
  isOpen: true,
  handle: (context, { request }) => getHealth(context, request),
})

const openApiRoute = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Describes all routes.',
  answer: {
    description: 'An OpenAPI 3.1 document.',
    content: async () => (await answerSchemas()).openApiAnswer,
  },
  errors: [],
  isOpen: true,
  handle: async (context) => {
    // The same for every client, and slow to create.
    const description = descriptions.get(context) ?? (await describeRoutes(context))
    descriptions.set(context, description)
    return new Response(description, { headers: { 'content-type': 'application/json' } })
  },
})

async function describeRoutes(context: ServerContext): Promise<string> {
  const { toOpenApi } = await import('./open-api.ts')
  return JSON.stringify(await toOpenApi(await allRoutes(context), context.basePath))
}

const descriptions = new WeakMap<ServerContext, string>()

/** Returns all routes of a server, including those of its protocols, whose code it loads. */
export async function allRoutes({
  protocols,
}: Pick<ServerContext, 'protocols'>): Promise<readonly Route[]> {
  return [...routes, ...(await Promise.all(protocols.routes.map(toProtocolRoute)))]
}

/** The server's own routes; fixed paths come before the parameters that would match them. */
export const routes: readonly Route[] = [
  healthRoute,
  openApiRoute,
  doctorRoute,
  runRoute,
  runFormRoute,
  resultsRoute,
  approvalsRoute,
  claimsRoute,
  uploadRoute,
  sessionsRoute,
  sessionRoute,
  renameRoute,
  shareRoute,
  unshareRoute,
  deleteRoute,
  streamRoute,
  conversationsRoute,
  timesRoute,
  decisionsRoute,
  stopRoute,
  steerRoute,
  produceRoute,
  commandsRoute,
  forkRoute,
  branchesRoute,
  withdrawRoute,
  imageRoute,
  fileRoute,
]
