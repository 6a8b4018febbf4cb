import type { ToolOutcome } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from './demo-command.ts'

const path = 'drafts/gate-rules.md'

const draft = [
  '# When the gate moves',
  '',
  '- below 80 cm: shut',
  '- from 80 cm: half open',
  '- from 120 cm: open',
  '',
  'At night nobody looks at the level.',
  '',
].join('\n')

const patch = [
  `--- a/${path}`,
  `+++ b/${path}`,
  '@@ -2,6 +2,7 @@',
  ' ',
  ' - below 80 cm: shut',
  ' - from 80 cm: half open',
  '-- from 120 cm: open',
  '+- from 110 cm: open',
  '+- from 140 cm: open, and the keeper is called',
  ' ',
  '-At night nobody looks at the level.',
  '+At night the level is looked at every two hours.',
  '',
].join('\n')

/** A change to a file as a unified diff, which the user sees before approving it. */
export const demoPatch = createDemo('patch', {
  summary: 'A change to a file, shown as a diff and made only if you approve it',
  tools: ['write_file', 'patch_file'],
  reply: ({ results }) => {
    const written = results.find(({ name }) => name === 'write_file')
    const patched = results.find(({ name }) => name === 'patch_file')
    if (patched !== undefined) return conclude(patched)
    if (written === undefined) return write()
    return written.isError ? say('The draft was not written.', ...quote(written)) : propose()
  },
})

function write(): ScriptedReply {
  const text = 'First I write a draft of the rules for the gate, which needs no approval.'
  return { blocks: [{ type: 'text', text }, call('write_file', { path, content: draft })] }
}

function propose(): ScriptedReply {
  const text =
    'In October the water stood at 113 cm and the gate was only half open. I would open it earlier and have it checked at night. This is the change; you decide.'
  return { blocks: [{ type: 'text', text }, call('patch_file', { path, patch })] }
}

function conclude(patched: ToolOutcome): ScriptedReply {
  if (patched.isError) return say(`**Not changed.** \`${path}\` is as it was.`, ...quote(patched))
  return say(
    `**Changed.** ${patched.text}`,
    '',
    'I sent a unified diff instead of a new file: the removed lines, the added lines, and a few around them that locate the change. All of it is applied, or nothing.',
  )
}

function quote({ text }: ToolOutcome): string[] {
  return text === '' ? [] : ['', ...text.split('\n').map((line) => `> ${line}`)]
}
