/** Variables of the server that commands inherit. They are unlikely to hold a secret. */
const safeNames: ReadonlySet<string> = new Set([
  'COLORTERM',
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TEMP',
  'TERM',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
])

/** Environment variables of commands: a value to set, true to inherit the server's, false to omit one. */
export type CommandEnvironment = Readonly<Record<string, string | boolean>>

/** Creates the environment of commands from the server's variables and the configuration. */
export function toSafeEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  given: CommandEnvironment = {},
): Record<string, string> {
  const isPassed = (name: string): boolean => {
    const setting = Object.hasOwn(given, name) ? given[name] : undefined
    return setting === undefined ? safeNames.has(name) || name.startsWith('LC_') : setting === true
  }
  const passed = Object.entries(own).filter(([name]) => isPassed(name))
  const set = Object.entries(given).filter(([, value]) => typeof value === 'string')
  const entries = [...passed, ...set]
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
