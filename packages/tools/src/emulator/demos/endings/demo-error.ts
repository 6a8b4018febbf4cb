import { createDemo } from '../tools/demo-command.ts'

const text = [
  'This answer will fail on purpose, after the stream has begun: the hardest kind of failure to handle, because the status was already 200 and half of the text is already on your screen.',
  '',
  'The agent will retry, and it will fail again, always in the middle of',
].join('\n')

/** An error in the middle of the answer, on every attempt. */
export const demoError = createDemo('error', {
  summary: 'A model that fails in the middle of a sentence, at every attempt',
  reply: () => ({
    blocks: [
      { type: 'text', text, unfinished: true },
      {
        type: 'error',
        error: { type: 'api_error', message: 'Internal server error (this is a demo).' },
      },
    ],
  }),
})
