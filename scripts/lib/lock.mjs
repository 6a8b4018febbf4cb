import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './root.mjs'

const POLL_MS = 200
const STALE_MS = 15 * 60_000

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function isStale(path) {
  try {
    const owner = Number(readFileSync(path, 'utf8'))
    return !isAlive(owner) || Date.now() - statSync(path).mtimeMs > STALE_MS
  } catch {
    return false
  }
}

function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

/** Runs work while no other process of this clone runs work under the same name. */
export async function withLock(name, work) {
  const folder = join(root, '.millrace')
  const path = join(folder, `${name}.lock`)
  mkdirSync(folder, { recursive: true })
  for (let tries = 0; !tryLock(path); tries++) {
    if (isStale(path)) rmSync(path, { force: true })
    else await sleep(POLL_MS)
    if (tries === 5) console.log(`Waiting for another process that holds ${path} …`)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}
