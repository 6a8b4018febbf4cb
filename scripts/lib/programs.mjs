import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs from outside npm that stages of the tests use, and what is left out without them. */
export const programs = [
  {
    package: 'chromium',
    variable: 'CHROMIUM_PATH',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    leftOut: 'the tests in a real browser',
  },
  {
    package: 'redis-server',
    variable: 'REDIS_SERVER_PATH',
    commands: ['redis-server'],
    leftOut: 'the tests against a real Redis',
  },
]

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Gives the path of a program: what its variable names, else the first of its commands on PATH. */
export function findProgram({ variable, commands }) {
  const named = process.env[variable]
  if (named) return isExecutable(named) ? named : undefined
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
  const candidates = commands.flatMap((command) => folders.map((folder) => join(folder, command)))
  return candidates.find(isExecutable)
}

/** Gives the variables through which tests learn where the programs are. */
export function programEnvironment() {
  return Object.fromEntries(
    programs.flatMap((program) => {
      const path = findProgram(program)
      return path ? [[program.variable, path]] : []
    }),
  )
}
