import type { Check } from '../examination.ts'
import { note, ok, problem } from '../finding.ts'
import { describeReply } from '../reply.ts'

/** Whether the server says that it is well. */
export const health: Check = {
  title: 'Health',
  run: async ({ ask }) => {
    const reply = await ask('health')
    const status = reply.json?.['status']
    if (status === 'healthy') return ok('The server is well, and so is its store')
    return status === 'unhealthy'
      ? problem(
          'The store of the server fails',
          'Nothing can be asked until it works again: look into the log of the server.',
        )
      : note(
          `GET /health is answered with ${describeReply(reply)}`,
          'Load balancers cannot see whether the server is well.',
          'paths',
        )
  },
}
