import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MillraceError } from 'millrace'
import { createManifest } from './app-manifest.ts'
import { templateFiles, templatePath } from './template-files.ts'

/** Creates a small app in a folder; overwrites nothing. */
export async function writeApp(folder: string): Promise<void> {
  await refuseExisting(folder)
  await makeFolder(folder)
  await writeNew(join(folder, 'package.json'), await createManifest(folder))
  for (const file of Object.keys(templateFiles)) {
    await makeFolder(dirname(join(folder, file)))
    await writeNew(join(folder, file), await readFile(templatePath(file), 'utf8'))
  }
}

async function refuseExisting(folder: string): Promise<void> {
  const existing: string[] = []
  for (const file of ['package.json', ...Object.keys(templateFiles)]) {
    if (await exists(join(folder, file))) existing.push(file)
  }
  if (existing.length === 0) return
  const problem = `Nothing was written, because ${folder} already has ${existing.join(', ')}.`
  throw new MillraceError('conflict', `${problem} Name another folder: millrace init FOLDER`)
}

/** A dangling link exists, too. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw cannotWrite(folder, cause)
  })
}

/** Creates a file; throws if it has appeared meanwhile. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((cause: unknown) => {
    throw cannotWrite(file, cause)
  })
}

function cannotWrite(path: string, cause: unknown): MillraceError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new MillraceError('conflict', `${path} cannot be written: ${reason}.`, { cause })
}
