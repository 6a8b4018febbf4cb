import { matchDemo } from './demo-command.ts'
import type { Scenario } from '../scenario.ts'

const text = [
  'This answer will fail on purpose, after the stream has begun: the hardest kind of failure to handle, because the status was already 200 and half of the text is already on your screen.',
  '',
  'Watch what happens to this sentence when the model becomes overloaded in the middle of',
].join('\n')

/** A failure in the middle of the answer. */
export const demoError: Scenario = {
  name: 'error',
  summary: 'A model that fails in the middle of a sentence',
  prompt: '/demo error',
  matches: matchDemo('error'),
  reply: () => ({
    blocks: [
      { type: 'text', text, unfinished: true },
      {
        type: 'error',
        error: { type: 'overloaded_error', message: 'The model is overloaded (this is a demo).' },
      },
    ],
  }),
}
