import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from '../tools/demo-command.ts'
import { sluice } from '../tools/sluice-file.ts'

const text = [
  'The length of an answer is limited. The limit of this demo is so low that it interrupts my next step: I begin to write a file.',
  '',
  'Watch the call below. It is interrupted, and because its remaining input is unknown, it is not run.',
].join('\n')

/** An answer that reaches `max_tokens` in the middle of a call. */
export const demoMaxTokens = createDemo('max-tokens', {
  summary: 'An answer that reaches its limit in the middle of a call, which is then not run',
  tools: ['write_file'],
  reply: ({ step }) => (step === 0 ? cutCall() : say(after)),
})

function cutCall(): ScriptedReply {
  return { blocks: [{ type: 'text', text }, call('write_file', sluice)], maxTokens: 190 }
}

/** Text that follows if the agent continues by itself. */
const after =
  'My call was interrupted at the limit, so there is no file. Send the command again to repeat it.'
