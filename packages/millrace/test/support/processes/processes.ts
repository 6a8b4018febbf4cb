import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Counts the processes of this machine whose command line contains a text; ended ones do not count. */
export function countRunning(text: string): number {
  return commandLines().filter((line) => line.includes(text)).length
}

/** Waits until no command line contains a text; returns the number of remaining processes after two seconds. */
export async function untilNoneRuns(text: string): Promise<number> {
  for (let round = 0; countRunning(text) > 0 && round < 200; round++) await sleep(10)
  return countRunning(text)
}

function commandLines(): readonly string[] {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-axo', 'args'], { encoding: 'utf8' }).split('\n')
  }
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? commandLine(name) : []))
}

function commandLine(pid: string): readonly string[] {
  try {
    return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
  } catch {
    return []
  }
}
