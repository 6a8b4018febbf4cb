import { MillraceError } from '../../errors/index.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { streamErrors } from '../routes/stream-run.ts'
import { carryOut } from './carry-out.ts'
import type { OfferedRoute } from './protocols.ts'

/** Creates a route from the plan of a protocol; loads the code of the protocol. */
export async function toProtocolRoute(offered: OfferedRoute): Promise<Route> {
  const { protocol, name, method, path, summary, load } = offered
  const { plans = {} } = await load()
  const plan = plans[name]
  if (plan === undefined) {
    throw new MillraceError(
      'internal',
      `The protocol ${protocol} has the route ${name} and no plan for it; add \`plans.${name}\` to its code.`,
    )
  }
  const { parameters, query, body, headers, reply, errors = [] } = plan
  return defineRoute({
    method,
    path,
    summary,
    ...(parameters !== undefined && { parameters }),
    ...(query !== undefined && { query }),
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && {
      body: { type: 'application/json', schema: body, holdsFiles: true },
    }),
    answer: reply,
    errors: [...streamErrors, 'not_found', ...errors],
    handle: async (context, asked) => {
      const { request, path: given } = asked
      const search = new URL(request.url).searchParams
      const { headers: sent } = request
      const known = { body: asked.body, query: asked.query, parameters: given }
      const planned = await plan.plan({ ...known, search, headers: sent })
      return carryOut(context, request, protocol, planned)
    },
  })
}
