import type { Check } from '../examination.ts'
import { note, ok, problem } from '../finding.ts'
import { describeReply } from '../reply.ts'

/** Checks whether the server reports that it is healthy. */
export const health: Check = {
  title: 'Health',
  run: async ({ ask }) => {
    const reply = await ask('health')
    const status = reply.json?.['status']
    if (status === 'healthy') return ok('The server and its store are healthy')
    return status === 'unhealthy'
      ? problem(
          'The store of the server is unavailable',
          'Requests fail until it is available again: see the log of the server.',
        )
      : note(
          `GET /health returned ${describeReply(reply)}`,
          'Load balancers cannot see whether the server is healthy.',
          'paths',
        )
  },
}
