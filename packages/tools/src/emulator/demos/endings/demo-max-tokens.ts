import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from '../tools/demo-command.ts'
import { sluice } from '../tools/sluice-file.ts'

const text = [
  'An answer may not be longer than its limit allows. Mine is set so low for this demo that it ends in the middle of what I do next: I begin to write a file.',
  '',
  'Watch the call below. It breaks off, and because nobody can know what the rest would have been, it is not run.',
].join('\n')

/** An answer that reaches `max_tokens` in the middle of a call. */
export const demoMaxTokens = createDemo('max-tokens', {
  summary: 'An answer that meets its limit in the middle of a call, which is then not run',
  tools: ['write_file'],
  reply: ({ step }) => (step === 0 ? cutCall() : say(after)),
})

function cutCall(): ScriptedReply {
  return { blocks: [{ type: 'text', text }, call('write_file', sluice)], maxTokens: 190 }
}

/** Text that follows if the agent continues by itself. */
const after =
  'My call broke off at the limit, so there is no file. Send the command again to see it.'
