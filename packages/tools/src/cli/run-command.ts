import { keepEnvironmentSecrets } from 'millrace/redaction'
import { type Command, type Terminal, isMisuse } from './command.ts'
import { commands } from './commands.ts'
import { toCrashText } from './terminal.ts'
import { readVersion } from './read-version.ts'

const askedForHelp = new Set([undefined, 'help', '--help', '-h'])
const askedForVersion = new Set(['version', '--version', '-v'])

/** Runs the command that the arguments name; resolves with the exit code, which is 2 for misuse. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  keepEnvironmentSecrets(terminal.env)
  const [name, ...rest] = args
  if (name === undefined || askedForHelp.has(name)) {
    terminal.print(helpText())
    return 0
  }
  if (askedForVersion.has(name)) {
    terminal.print(await readVersion())
    return 0
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) {
    terminal.complain(
      `There is no command ${name}; use one of ${Object.keys(commands).join(', ')}. millrace --help describes them.`,
    )
    return 2
  }
  const command = await entry.load()
  if (asksForHelp(rest)) {
    terminal.print(usageOf(name, command))
    return 0
  }
  return runGuarded(name, command, rest, terminal)
}

/** Arguments after `--` belong to another program. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end < 0 ? args : args.slice(0, end)
  return own.includes('--help') || own.includes('-h')
}

async function runGuarded(
  name: string,
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    return await command.run(args, terminal)
  } catch (error) {
    if (isMisuse(error)) {
      terminal.complain(
        `${describeMisuse(error, command)} millrace ${name} --help shows its options.`,
      )
      return 2
    }
    terminal.complain(toCrashText(error))
    return 1
  }
}

/** Describes misuse in one sentence. Node explains an unknown option by how to pass it as a positional argument. */
function describeMisuse({ message }: Error, { usage }: Command): string {
  const [, option] = /^Unknown option '(--?[^']*)'/.exec(message) ?? []
  if (option === undefined) return /[.?!]$/.test(message) ? message : `${message}.`
  const options = [...new Set(usage.match(/(?<![\w-])--[a-z][a-z-]*/g))].join(', ')
  return `There is no option ${option}; use one of ${options}.`
}

function usageOf(name: string, { usage }: Command): string {
  return `Usage: millrace ${name} ${usage}`
}

function helpText(): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length))
  const rows = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  )
  return [
    'Usage: millrace <command>',
    '',
    ...rows,
    '',
    'millrace <command> --help shows its options.',
  ].join('\n')
}
