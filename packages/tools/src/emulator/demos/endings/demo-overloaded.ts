import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { createDemo, say } from '../tools/demo-command.ts'

/** A temporary failure: the second attempt succeeds. */
export const demoOverloaded = createDemo('overloaded', {
  summary:
    'A model that is overloaded for a moment: what it had said is taken back, and said again',
  reply: ({ attempt }) => (attempt === 0 ? fail() : answer),
})

function fail(): ScriptedReply {
  const text = [
    'In a moment the model will be overloaded. What you are reading will then be taken back, because nobody can know how the sentence would have gone',
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
  'The first one broke off with `overloaded_error` after some words. The agent waited for a moment and asked again; the stream told your page to forget the words of the first attempt (`rollback`), so that nothing is here twice. The frames still show both.',
)
