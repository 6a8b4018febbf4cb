import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { createDemo, say } from '../tools/demo-command.ts'

/** A temporary failure: the second attempt succeeds. */
export const demoOverloaded = createDemo('overloaded', {
  summary: 'A model that is overloaded for a moment: its text is rolled back and generated again',
  reply: ({ attempt }) => (attempt === 0 ? fail() : answer),
})

function fail(): ScriptedReply {
  const text = [
    'In a moment the model will be overloaded. This text will then be rolled back, because nobody can know how the sentence would have continued',
  ].join('\n')
  return {
    blocks: [
      { type: 'text', text, unfinished: true },
      {
        type: 'error',
        error: { type: 'overloaded_error', message: 'Overloaded (this is a demo).' },
      },
    ],
  }
}

const answer = say(
  'This is the second attempt, and it works.',
  '',
  'The first one ended with `overloaded_error` after some text. The agent waited for a moment and retried; a `rollback` frame removed the text of the first attempt from your page, so that nothing is here twice. The frames still show both.',
)
