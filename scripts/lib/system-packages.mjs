import { existsSync } from 'node:fs'
import { findProgram, programs } from './programs.mjs'
import { excerpt, run, withProgress } from './run.mjs'

const TIME_LIMIT_MS = 300_000
const env = { DEBIAN_FRONTEND: 'noninteractive' }

function whyNotInstall(missing) {
  const misnamed = missing.find(({ variable }) => process.env[variable])
  if (misnamed) return `${misnamed.variable} names no program that can be run`
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get here to install it with'
  if (process.getuid?.() !== 0) return 'only root may install it'
  return undefined
}

async function installPackages(names) {
  const apt = (args) => run('apt-get', args, { env, timeoutMs: TIME_LIMIT_MS })
  const { ok, output } = await withProgress(
    `Installing ${names.join(' and ')} with apt …`,
    async () => {
      const update = await apt(['update'])
      return update.ok ? apt(['install', '-y', '--no-install-recommends', ...names]) : update
    },
  )
  if (!ok) console.log(excerpt(output))
  return ok ? undefined : 'installing it with apt failed'
}

/** Finds the programs of these packages, installs missing ones if it may, and reports why others stay missing. */
export async function findSystemPackages(wanted) {
  const missing = programs.filter((program) => wanted.has(program.package) && !findProgram(program))
  if (missing.length === 0) return []
  const problem =
    whyNotInstall(missing) ?? (await installPackages(missing.map((program) => program.package)))
  return missing
    .filter((program) => !findProgram(program))
    .map((program) => ({
      ...program,
      reason: `${program.package} is missing and ${problem ?? 'apt did not bring it'}`,
    }))
}
