import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRequire } from 'node:module'
import { root } from './root.mjs'

const MAX_PACKAGES = 6
const MAX_BYTES = 12_000_000

/**
 * Measures `npm install millrace` for a page: its packages, the bytes of their files, and whether any has native code. Compares them with
 * the bounds of decisions/021.
 */
export function measureInstall() {
  const own = join(root, 'packages/millrace')
  const { files } = readPackage(own)
  const published = [...files, 'package.json'].map((name) => join(own, name))
  const others = listDependencies(own)
  const bytes = [...published, ...others].flatMap(listFiles)
  const native = others.filter(isNative).map((folder) => readPackage(folder).name)
  return {
    packages: others.length + 1,
    maxPackages: MAX_PACKAGES,
    bytes: bytes.reduce((sum, file) => sum + statSync(file).size, 0),
    maxBytes: MAX_BYTES,
    native,
  }
}

/** Lists the folders of all packages that a package depends on, directly or not. */
function listDependencies(folder, found = new Set()) {
  const { dependencies = {} } = readPackage(folder)
  for (const name of Object.keys(dependencies)) {
    const dependency = findPackage(name, folder)
    if (found.has(dependency)) continue
    found.add(dependency)
    listDependencies(dependency, found)
  }
  return [...found]
}

/** Finds a package like Node, from a folder. */
function findPackage(name, from) {
  const paths = createRequire(join(from, 'package.json')).resolve.paths(name) ?? []
  const folder = paths
    .map((path) => join(path, name))
    .find((path) => exists(join(path, 'package.json')))
  if (folder === undefined) throw new Error(`The package ${name} of ${from} is not installed.`)
  return folder
}

function isNative(folder) {
  const { scripts = {}, gypfile = false, os, cpu } = readPackage(folder)
  const installs = ['preinstall', 'install', 'postinstall'].some((name) => name in scripts)
  return (
    installs || gypfile || os !== undefined || cpu !== undefined || listFiles(folder).some(isAddon)
  )
}

const isAddon = (file) => file.endsWith('.node') || file.endsWith('binding.gyp')

function listFiles(path) {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => name !== 'node_modules')
  return names.flatMap((name) => listFiles(join(path, name)))
}

const exists = (path) => statSync(path, { throwIfNoEntry: false }) !== undefined

const readPackage = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
