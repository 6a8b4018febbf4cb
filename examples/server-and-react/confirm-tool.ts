import { z } from 'zod'

// zod would compile its checks, and the policy of the served page runs no text as code.
z.config({ jitless: true })

/** A question that the agent asks and the page answers; both sides get their types from here. */
export const confirmTool = {
  name: 'user_confirm',
  description: 'Asks the user a question that is answered with yes or no.',
  input: z.object({ question: z.string() }),
}
