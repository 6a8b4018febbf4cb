import { createDemo } from './demo-command.ts'

const path = 'wheel.py'

const program = [
  'GRAVITY = 9.81  # metres per second squared',
  '',
  '',
  'def power_kw(litres_per_second, fall_m, efficiency):',
  '    return litres_per_second * fall_m * GRAVITY * efficiency / 1000',
  '',
  '',
  'for name, efficiency in [("overshot", 0.80), ("undershot", 0.30)]:',
  '    print(f"{name:10} {power_kw(200, 4.1, efficiency):5.2f} kW")',
  '',
].join('\n')

const stdout = 'overshot    6.44 kW\nundershot   2.41 kW\n'

/** Code executed by the provider: writes a file, then runs it. */
export const demoCodeExecution = createDemo('code-execution', {
  summary: 'A program that the provider writes and runs in its own container',
  reply: () => ({
    blocks: [
      { type: 'text', text: 'How much power does a mill have? I will calculate it.' },
      {
        type: 'server_tool_use',
        name: 'text_editor_code_execution',
        input: { command: 'create', path, file_text: program },
      },
      {
        type: 'text_editor_code_execution_tool_result',
        content: { type: 'text_editor_code_execution_create_result', is_file_update: false },
        waitMs: 500,
      },
      {
        type: 'server_tool_use',
        name: 'bash_code_execution',
        input: { command: `python ${path}` },
      },
      {
        type: 'bash_code_execution_tool_result',
        content: {
          type: 'bash_code_execution_result',
          stdout,
          stderr: '',
          return_code: 0,
          content: [],
        },
        waitMs: 1100,
      },
      { type: 'text', text: answer },
    ],
    ending: { container: { id: 'container_01Emulated', expires_at: '2030-01-01T00:00:00Z' } },
  }),
})

const answer = [
  'With 200 litres a second and a fall of 4.1 metres:',
  '',
  '- an **overshot** wheel gives about **6.4 kW**,',
  '- an **undershot** one about **2.4 kW**.',
  '',
  'Enough for a pair of millstones, or today for a village’s washing machines. Both calls ran at the provider; the agent only forwarded their events.',
].join('\n')
