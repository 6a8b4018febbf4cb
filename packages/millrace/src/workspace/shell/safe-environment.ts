/** What a command sees of the server's own environment: nothing that is likely to hold a secret. */
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

/** Variables of commands: a value to set, true to pass on the server's own, false to leave one out. */
export type CommandEnvironment = Readonly<Record<string, string | boolean>>

/** Builds the environment of commands from the server's own and what its owner says. */
export function toSafeEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  given: CommandEnvironment = {},
): Record<string, string> {
  const isPassed = (name: string): boolean => {
    const word = Object.hasOwn(given, name) ? given[name] : undefined
    return word === undefined ? safeNames.has(name) || name.startsWith('LC_') : word === true
  }
  const passed = Object.entries(own).filter(([name]) => isPassed(name))
  const set = Object.entries(given).filter(([, value]) => typeof value === 'string')
  const entries = [...passed, ...set]
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
