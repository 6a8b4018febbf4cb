import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Finds a program in the absolute folders of a search path. */
export function findProgram(name: string, path = ''): string | undefined {
  const folders = path.split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Finds bash, or else the system's shell. */
export function findShell(path?: string): string {
  return findProgram('bash', path) ?? '/bin/sh'
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
