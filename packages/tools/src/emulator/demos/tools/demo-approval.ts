import type { ToolOutcome, Turn } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from './demo-command.ts'

const report = {
  path: 'reports/october.md',
  content: [
    '# Water levels in October',
    '',
    '- mean level: 94 cm',
    '- highest: 113 cm, on the 15th',
    '- the gate was shut twice',
    '',
  ].join('\n'),
}

/** A call that requires approval: approved, approved with changes, or denied. */
export const demoApproval = createDemo('approval', {
  summary: 'A file that is written only if you approve it: approve it, change it first, or deny it',
  tools: ['write_file', 'read_file'],
  reply: (turn) => (turn.step === 0 ? propose() : nextReply(turn)),
})

function propose(): ScriptedReply {
  const text =
    'The report on October is ready. Saving it changes a file on the disk of this machine, so you decide: approve it, change it, or deny it with a reason.'
  return { blocks: [{ type: 'text', text }, call('write_file', report)] }
}

function nextReply({ results }: Turn): ScriptedReply {
  const written = results.find(({ name }) => name === 'write_file')
  const read = results.find(({ name }) => name === 'read_file')
  if (written === undefined || written.isError) return say(...refused(written?.text ?? ''))
  if (read === undefined) return readBack(written)
  return say(...saved(written, read))
}

/** Uses the path that was actually written, because the approver may have changed it. */
function readBack({ text }: ToolOutcome): ScriptedReply {
  const path = /^(?:Created|Replaced) (.+): \d+ lines?,/m.exec(text)?.[1] ?? report.path
  return {
    blocks: [
      {
        type: 'text',
        text: 'It is written. I will read it back to check its content.',
      },
      call('read_file', { path }),
    ],
  }
}

const whileItWaited =
  'While it was pending, the call was stored and no process waited for it: you could have reloaded the page, or decided tomorrow.'
const whenItRan =
  'It ran once, for any number of tabs, with the server’s own copy of the arguments.'
const whenRefused =
  'The first decision counts, so no other tab can approve it now. I received it as a regular result.'

function saved(written: ToolOutcome, { isError }: ToolOutcome): string[] {
  const isChanged = written.text.startsWith('The user changed')
  const news = isChanged
    ? '**Saved, with your changes.** The result contains them, so I continue with the actual content, not with my proposal.'
    : '**Saved**, exactly as you saw it before your approval.'
  const doubt = isError ? ' (Reading it back failed, though.)' : ''
  return [news + doubt, '', `${whileItWaited} ${whenItRan}`]
}

function refused(text: string): string[] {
  const [problem = '', reason] = text.split(' Their reason: ')
  if (!problem.startsWith('The user refused'))
    return ['**Not saved.** The file was not written.', ...(text === '' ? [] : ['', `> ${text}`])]
  const quote = (reason ?? '').split('\n').map((line) => `> ${line}`)
  const news =
    reason === undefined
      ? ['**Not saved.** You denied it, so nothing was written.']
      : ['**Not saved.** You denied it, with this reason:', '', ...quote]
  return [...news, '', `${whileItWaited} ${whenRefused}`]
}
