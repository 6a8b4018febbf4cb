import type { Turn } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from './demo-command.ts'
import { sluice } from './sluice-file.ts'

/** A file that streams while the model writes it. */
export const demoWriteFile = createDemo('write-file', {
  summary: 'A file that you can read while the model writes it',
  tools: ['write_file'],
  reply: (turn) => (turn.step === 0 ? write() : nextReply(turn)),
})

function write(): ScriptedReply {
  const text = 'I will write a small module that opens a sluice by the level of the water.'
  return { blocks: [{ type: 'text', text }, call('write_file', sluice)] }
}

function nextReply({ results }: Turn): ScriptedReply {
  const [outcome] = results
  if (outcome === undefined || outcome.isError) {
    return say(
      'The file was not written.',
      ...(outcome === undefined ? [] : ['', `> ${outcome.text}`]),
    )
  }
  return say(
    `\`${sluice.path}\` is written. ${outcome.text}`,
    '',
    'A call’s input is JSON, and it arrives in deltas of a few characters. The growing text was parsed from incomplete JSON, and each delta was read once: a file ten times as long takes ten times as long to show, not a hundred times.',
  )
}
