import type { Turn } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from '../tools/demo-command.ts'
import { sluice } from '../tools/sluice-file.ts'

/** A connection failure in the middle of a call: the call is not run, and the step is retried. */
export const demoCut = createDemo('cut', {
  summary: 'A connection that breaks in the middle of a call: it is not run until it is complete',
  tools: ['write_file'],
  reply: (turn) => (turn.step === 0 ? write(turn) : nextReply(turn)),
})

/** About half of the file is sent before the cut. */
const cutAt = { type: 'content_block_delta', nth: 60 }

function write({ attempt }: Turn): ScriptedReply {
  const text =
    attempt === 0
      ? 'I am going to write a file, and in the middle of it the connection to the model will break.'
      : 'The connection broke while I was writing. Here is the file once more, from its first line.'
  return {
    blocks: [{ type: 'text', text }, call('write_file', sluice)],
    ...(attempt === 0 ? { faults: [{ kind: 'cut', at: cutAt }] } : {}),
  }
}

function nextReply({ results }: Turn): ScriptedReply {
  const [outcome] = results
  if (outcome === undefined || outcome.isError) return say('The file was not written.')
  return say(
    `This time the call was complete, so it ran once. ${outcome.text}`,
    '',
    'Half a file looks like a file, and half of its JSON can often be parsed. That is why a call counts only when the model has ended it.',
  )
}
