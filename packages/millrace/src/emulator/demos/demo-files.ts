import { createDemo } from './demo-command.ts'

const fileId = 'file_01EmulatedWaterLevels'

const command = [
  "cat > levels.csv <<'CSV'",
  'day,centimetres',
  '1,84',
  '8,91',
  '15,113',
  '22,97',
  '29,88',
  'CSV',
  'wc -l levels.csv',
].join('\n')

/** A file that is made where the provider runs code. */
export const demoFiles = createDemo('files', {
  summary: 'A file made by code that the provider runs, and its id',
  reply: () => ({
    blocks: [
      { type: 'text', text: 'I will write the water levels of October into a table.' },
      { type: 'server_tool_use', name: 'bash_code_execution', input: { command } },
      {
        type: 'bash_code_execution_tool_result',
        content: {
          type: 'bash_code_execution_result',
          stdout: '6 levels.csv\n',
          stderr: '',
          return_code: 0,
          content: [{ type: 'bash_code_execution_output', file_id: fileId }],
        },
        waitMs: 1200,
      },
      { type: 'raw', block: { type: 'container_upload', file_id: fileId } },
      { type: 'text', text: answer },
    ],
    ending: { container: { id: 'container_01Emulated', expires_at: '2030-01-01T00:00:00Z' } },
  }),
})

const answer = [
  '`levels.csv` is ready: five measurements, the highest on the 15th.',
  '',
  `To be honest about what you have seen: the file lies in the provider’s container under the id \`${fileId}\`, and that id has reached you, once in the result and once as a block of its own. Handing the file itself to your browser is not part of this version yet.`,
].join('\n')
