import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs from outside npm that stages of the tests use, and the tests that are skipped without them. */
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
  {
    package: 'postgresql',
    variable: 'POSTGRES_PATH',
    commands: ['postgres'],
    // Debian keeps each version in a separate folder, which is on no PATH.
    versions: '/usr/lib/postgresql',
    leftOut: 'the tests against a real Postgres',
  },
  {
    package: 'pgbouncer',
    variable: 'PGBOUNCER_PATH',
    commands: ['pgbouncer'],
    leftOut: 'the tests of the Postgres store behind a pooler',
  },
  {
    package: 'bubblewrap',
    variable: 'BWRAP_PATH',
    commands: ['bwrap'],
    leftOut: 'the tests of workspace commands in a sandbox',
  },
  {
    package: 'nginx',
    variable: 'NGINX_PATH',
    commands: ['nginx'],
    leftOut: 'the tests behind a real nginx',
  },
  {
    package: 'caddy',
    variable: 'CADDY_PATH',
    commands: ['caddy'],
    leftOut: 'the tests behind a real Caddy',
  },
  {
    package: 'openssl',
    variable: 'OPENSSL_PATH',
    commands: ['openssl'],
    leftOut: 'the tests of TLS',
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

/**
 * Returns the folders of programs below one that has a folder for each version, the newest first.
 */
function versionFolders(parent) {
  if (parent === undefined || !existsSync(parent)) return []
  const names = readdirSync(parent).sort((a, b) => Number(b) - Number(a))
  return names.map((name) => join(parent, name, 'bin'))
}

/**
 * Returns the path of a program: the value of its variable, else the first of its commands on PATH.
 */
export function findProgram({ variable, commands, versions }) {
  const named = process.env[variable]
  if (named) return isExecutable(named) ? named : undefined
  // Debian keeps servers such as nginx in /usr/sbin, which is on the PATH of root alone.
  const usual = ['/usr/bin', '/usr/local/bin', '/usr/sbin']
  const onPath = (process.env.PATH ?? '').split(delimiter)
  const folders = [...onPath, ...usual, ...versionFolders(versions)]
  const candidates = commands.flatMap((command) => folders.map((folder) => join(folder, command)))
  return candidates.find(isExecutable)
}

/** Returns the variables that pass the program paths to tests. */
export function programEnvironment() {
  return Object.fromEntries(
    programs.flatMap((program) => {
      const path = findProgram(program)
      return path ? [[program.variable, path]] : []
    }),
  )
}
