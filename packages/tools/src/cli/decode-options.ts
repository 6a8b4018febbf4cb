import { naturalPace, type Pace } from '../emulator/index.ts'
import type { Keep } from 'millrace/server'
import { misuse } from './command.ts'

/** Decodes a port from an option or the environment. */
export function decodePort(name: string, text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw misuse(`${name} must be a port from 0 to 65535, not ${JSON.stringify(text)}.`)
}

/** Decodes the pace of a scripted model: `natural`, `instant`, or tokens per second. */
export function decodePace(text: string): Pace | 'instant' {
  if (text === 'instant') return 'instant'
  if (text === 'natural') return naturalPace
  const tokensPerSecond = Number(text)
  if (tokensPerSecond > 0 && tokensPerSecond <= 100_000) return { ...naturalPace, tokensPerSecond }
  throw misuse(`--pace must be natural, instant or tokens per second, not ${JSON.stringify(text)}.`)
}

/** Decodes a speed; throws unless it is above 0 and at most 1000. */
export function decodeSpeed(text: string): number {
  const speed = Number(text)
  if (speed > 0 && speed <= 1000) return speed
  throw misuse(`--speed must be a number above 0, such as 0.5 or 4, not ${JSON.stringify(text)}.`)
}

/** The options that limit kept sessions and runs. */
export const keepOptions = {
  'keep-days': { type: 'string' },
  'keep-sessions': { type: 'string' },
  'keep-runs': { type: 'string' },
} as const

/** The help text of these options. */
export const keepUsage = `--keep-days    remove sessions without writes for this many days
  --keep-sessions
                 keep this many sessions, the most recently written, and all that are running or paused
  --keep-runs    keep the frames of this many runs of a session; its history stays complete`

/** Decodes these options. */
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

/** Decodes a whole number above zero; throws for any other text. */
export function decodeWholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw misuse(`${name} must be a whole number above zero, not ${JSON.stringify(text)}.`)
}
