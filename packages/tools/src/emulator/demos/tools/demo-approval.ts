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
  summary: 'A file that is written only if you agree: approve it, change it first, or refuse',
  tools: ['write_file', 'read_file'],
  reply: (turn) => (turn.step === 0 ? propose() : nextReply(turn)),
})

function propose(): ScriptedReply {
  const text =
    'The report on October is ready. Saving it changes a file on the disk of this machine, and that is yours to decide: agree, change what I wrote, or refuse and say why.'
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
        text: 'It is written. Let me read it back, to be sure of what is there now.',
      },
      call('read_file', { path }),
    ],
  }
}

const whileItWaited =
  'While it waited, the call was a value in the store and no process held it: you could have reloaded the page, or decided tomorrow.'
const whenItRan =
  'It ran once, whatever the number of tabs, and on the server’s own copy of the arguments.'
const whenRefused =
  'The first decision counts, so no other tab can let it run now. To me it came back as a result like any other.'

function saved(written: ToolOutcome, { isError }: ToolOutcome): string[] {
  const isChanged = written.text.startsWith('The user changed')
  const news = isChanged
    ? '**Saved, as you changed it.** The result told me so, together with your arguments: I go on from what is really there, not from what I had proposed.'
    : '**Saved**, word for word as you saw it before you agreed.'
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
      ? ['**Not saved.** You refused, so nothing was written.']
      : ['**Not saved.** You refused, and this is what I was told:', '', ...quote]
  return [...news, '', `${whileItWaited} ${whenRefused}`]
}
