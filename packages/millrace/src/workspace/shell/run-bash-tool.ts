import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { badRequest, MillraceError } from '../../errors/index.ts'
import { defineTool, type RichOutput, type Tool } from '../../tools/index.ts'
import { needsApproval, type Workspace } from '../workspace.ts'
import { optionalText, text, toInputSchema, whole } from '../parameters.ts'
import { explainFailures } from '../paths/explain-failures.ts'
import { resolveFolder } from '../paths/resolve-path.ts'
import { findShell } from './find-program.ts'
import { createLastLine } from './last-line.ts'
import { type CommandOutcome, runCommand } from './run-command.ts'
import { type CommandEnvironment, toSafeEnvironment } from './safe-environment.ts'
import { openSandbox, type SandboxOptions } from './sandbox/sandbox.ts'

interface RunBashOptions extends Omit<SandboxOptions, 'env'> {
  readonly env: CommandEnvironment
  /** The path of the shell; default: bash, else sh. */
  readonly shell: string | undefined
}

/** Maximum size of one argument in Linux: 128 KiB. */
const MOST_COMMAND_BYTES = 131_071
const PROGRESS_INTERVAL_MS = 1000
/** Additional time for ending a command after its timeout. */
const ENDING_MS = 10_000

/** Creates the tool `run_bash`. */
export function createRunBashTool(workspace: Workspace, options: RunBashOptions): Tool {
  const { root, limits } = workspace
  const { commandTimeoutMs, maxCommandTimeoutMs, maxOutputChars, maxProcesses } = limits
  const sandbox = openSandbox(root, {
    ...options,
    env: toSafeEnvironment(process.env, options.env),
  })
  return defineTool({
    name: 'run_bash',
    description:
      'Runs a command in bash and gives its output (of a long one the start and the end) and exit code. ' +
      'There is no input and no terminal. Each call starts anew in the root of the workspace, and whatever the ' +
      'command leaves running is ended with it. Keep files in the workspace: /tmp may be emptied after each call.',
    input: toInputSchema({
      command: text('The command'),
      cwd: optionalText('The folder to run it in, relative to the root of the workspace', '.'),
      timeout_seconds: whole(`When to end it; after ${commandTimeoutMs / 1000} if left out`, {
        absent: 0,
        minimum: 1,
        maximum: Math.ceil(maxCommandTimeoutMs / 1000),
      }),
    }),
    timeoutMs: maxCommandTimeoutMs + ENDING_MS,
    needsApproval: needsApproval(workspace, 'changes'),
    run: async ({ command, cwd, timeout_seconds: seconds }, { signal, progress }) => {
      checkCommand(command)
      const place = await resolveFolder(root, cwd === '' ? '.' : cwd)
      const env = toSafeEnvironment(process.env, options.env)
      const shell = options.shell ?? findShell(env['PATH'])
      await explainFailures(shell, () => access(shell, constants.X_OK))
      const lastLine = createLastLine(progress, { intervalMs: PROGRESS_INTERVAL_MS })
      const timeoutMs = Math.min(seconds * 1000 || commandTimeoutMs, maxCommandTimeoutMs)
      const launch = sandbox.launch(shell, command, place.path)
      const bounds = { timeoutMs, maxOutputChars, maxProcesses, signal }
      try {
        const outcome = await explainFailures(launch.argv[0] ?? '', () =>
          runCommand({ launch, cwd: place.path, env, ...bounds, onOutput: lastLine.feed }),
        )
        return describe(outcome, { timeoutMs, maxProcesses })
      } finally {
        lastLine.dispose()
      }
    },
  })
}

function checkCommand(command: string): void {
  if (command.includes('\0')) {
    throw badRequest('The command contains a NUL character; remove it.')
  }
  if (Buffer.byteLength(command) <= MOST_COMMAND_BYTES) return
  throw new MillraceError(
    'payload_too_large',
    `The command is longer than ${MOST_COMMAND_BYTES} bytes; write it to a file and run that.`,
  )
}

interface Bounds {
  readonly timeoutMs: number
  readonly maxProcesses: number
}

function describe(outcome: CommandOutcome, bounds: Bounds): string | RichOutput {
  const { output, exitCode, earlyEnd } = outcome
  if (earlyEnd === undefined && exitCode === 0) return output === '' ? '(no output)' : output
  const end = `[${describeEnd(outcome, bounds)}]`
  return { text: output === '' ? end : `${output.replace(/\n$/, '')}\n${end}`, isError: true }
}

function describeEnd(outcome: CommandOutcome, { timeoutMs, maxProcesses }: Bounds): string {
  const { exitCode, killedBy, earlyEnd } = outcome
  if (earlyEnd === 'time') return `ended after ${timeoutMs} ms, with all its child processes`
  if (earlyEnd === 'processes') return `ended because it ran more than ${maxProcesses} processes`
  return killedBy === null ? `exit code ${exitCode}` : `ended by ${killedBy}`
}
