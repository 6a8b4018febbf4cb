import { accessSync, constants, mkdirSync } from 'node:fs'
import { compareLog, createWaiters, sessionUnknown, storeClosed } from 'millrace/store'
import { createSession, type Session, unavailable } from './session-file.ts'
import { openLogs } from './shared-logs.ts'

/** The sessions of a folder. */
export type Folder = ReturnType<typeof openFolder>

/** Reads all files of a folder into memory, and writes those that change. */
export function openFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { logs, names, chain, isShared, put, tidy } = openLogs(folder)
  const waiters = createWaiters()
  let isClosed = false
  let lastWrite = 0
  for (const { writtenAt } of logs.values()) lastWrite = Math.max(lastWrite, writtenAt)

  const all = (): Session[] => {
    if (isClosed) throw storeClosed()
    const present = [...logs.values()].filter(({ removedAt }) => removedAt === undefined)
    return present.sort((a, b) => b.writtenAt - a.writtenAt)
  }

  const get = (name: string): Session | undefined => {
    if (isClosed) throw storeClosed()
    const session = names.get(name)
    return session?.removedAt === undefined ? session : undefined
  }

  const find = (name: string, log?: string): Session => {
    const session = get(name)
    if (session === undefined) throw sessionUnknown(name)
    compareLog(name, log, session.log)
    return session
  }

  /** Two writes have different times, by which sessions are ordered. */
  const tick = (): number => (lastWrite = Math.max(Date.now(), lastWrite + 1))

  /** Changes a copy, so that an error before the write has no effect. */
  const change = <Result>(session: Session, edit: (copy: Session) => Result): Result => {
    const copy = structuredClone(session)
    const result = edit(copy)
    put(copy)
    return result
  }

  const provide = (name: string, owner: string | null): Session =>
    get(name) ?? createSession(name, (names.get(name)?.generation ?? 0) + 1, owner)

  const remove = (name: string): boolean => {
    const session = get(name)
    if (session === undefined) return false
    const rest = { head: undefined, lease: undefined, commands: [], claims: [] }
    change(session, (copy) => Object.assign(copy, { removedAt: Date.now(), ...rest }))
    tidy(names.get(name))
    waiters.dismiss(name, sessionUnknown(name))
    return true
  }

  const check = (): void => {
    if (isClosed) throw storeClosed()
    try {
      accessSync(folder, constants.R_OK | constants.W_OK)
    } catch (cause) {
      throw unavailable(cause)
    }
  }

  const close = (): void => {
    isClosed = true
    waiters.dismissAll(storeClosed())
  }

  const reading = { get, find, all, chain, isShared, waiters }
  return { ...reading, tick, change, provide, remove, check, close }
}
