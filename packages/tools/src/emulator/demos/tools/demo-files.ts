import type { Turn } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from './demo-command.ts'

const levels = ['day,centimetres', '1,84', '8,91', '15,113', '22,97', '29,88', ''].join('\n')

const file = {
  id: 'file_01EmulatedWaterLevels',
  filename: 'levels.csv',
  mediaType: 'text/csv',
  content: levels,
}

const command = [
  `cat > ${file.filename} <<'CSV'`,
  ...levels.trimEnd().split('\n'),
  'CSV',
  `wc -l ${file.filename}`,
].join('\n')

/** A file that the provider creates during code execution, and that is downloaded from the provider. */
export const demoFiles = createDemo('files', {
  summary: 'A file made by code that the provider runs, fetched to this machine',
  files: [file],
  reply: (turn) => (turn.step === 0 ? make(turn) : nextReply(turn)),
})

function make({ tools }: Turn): ScriptedReply {
  const look = call('read_file', { path: `files/${file.filename}` })
  return {
    blocks: [
      {
        type: 'text',
        text: 'I will write the water levels of October into a table, in the provider’s own container.',
      },
      { type: 'server_tool_use', name: 'bash_code_execution', input: { command } },
      {
        type: 'bash_code_execution_tool_result',
        content: {
          type: 'bash_code_execution_result',
          stdout: `6 ${file.filename}\n`,
          stderr: '',
          return_code: 0,
          content: [{ type: 'bash_code_execution_output', file_id: file.id }],
        },
        waitMs: 1200,
      },
      { type: 'raw', block: { type: 'container_upload', file_id: file.id } },
      ...(tools.has('read_file') ? [look] : [{ type: 'text' as const, text: made }]),
    ],
    ending: { container: { id: 'container_01Emulated', expires_at: '2030-01-01T00:00:00Z' } },
  }
}

const made = `\`${file.filename}\` is ready: five measurements, the highest on the 15th.`

function nextReply({ results }: Turn): ScriptedReply {
  const read = results.find(({ name }) => name === 'read_file')
  if (read === undefined || read.isError)
    return say(made, '', 'It lies with the provider, under the id that you have seen.')
  return say(
    made,
    '',
    `It was made far away, under the id \`${file.id}\`, and it is here now: the agent fetched it as soon as my message had ended, told you of it, and the table above was read from this machine’s disk.`,
  )
}
