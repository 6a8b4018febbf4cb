import { naturalPace, type Pace } from '../emulator/index.ts'
import type { Keep } from 'millrace/server'
import { misuse } from './misuse.ts'

/** Reads a port, from an option or the environment. */
export function decodePort(name: string, text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw misuse(`${name} must be a port from 0 to 65535, not ${JSON.stringify(text)}.`)
}

/** Reads how fast a scripted model speaks: `natural`, `instant`, or tokens a second. */
export function decodePace(text: string): Pace | 'instant' {
  if (text === 'instant') return 'instant'
  if (text === 'natural') return naturalPace
  const tokensPerSecond = Number(text)
  if (tokensPerSecond > 0 && tokensPerSecond <= 100_000) return { ...naturalPace, tokensPerSecond }
  throw misuse(`--pace must be natural, instant or tokens a second, not ${JSON.stringify(text)}.`)
}

/** Reads how many times as fast as usual something goes. */
export function decodeSpeed(text: string): number {
  const speed = Number(text)
  if (speed > 0 && speed <= 1000) return speed
  throw misuse(`--speed must be a number above 0, such as 0.5 or 4, not ${JSON.stringify(text)}.`)
}

/** The options that say what is kept of sessions, for `parseArgs`. */
export const keepOptions = {
  'keep-days': { type: 'string' },
  'keep-sessions': { type: 'string' },
  'keep-runs': { type: 'string' },
} as const

/** What `--help` says of these options. */
export const keepUsage = `--keep-days    remove sessions that nobody has written to for so many days
  --keep-sessions
                 keep so many sessions, those written to last; older ones that do not run or wait go
  --keep-runs    keep the messages of so many runs of a session; its history stays whole`

/** Reads what is kept of sessions. */
export function decodeKeep(values: { readonly [name in keyof typeof keepOptions]?: string }): Keep {
  const read = (name: keyof typeof keepOptions): number | undefined => {
    const text = values[name]
    return text === undefined ? undefined : decodeWholeNumber(`--${name}`, text)
  }
  const [days, sessions, runs] = [read('keep-days'), read('keep-sessions'), read('keep-runs')]
  return {
    ...(days !== undefined && { days }),
    ...(sessions !== undefined && { sessions }),
    ...(runs !== undefined && { runs }),
  }
}

/** Reads a whole number above zero. */
export function decodeWholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw misuse(`${name} must be a whole number above zero, not ${JSON.stringify(text)}.`)
}
