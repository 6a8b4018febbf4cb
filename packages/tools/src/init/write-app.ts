import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { MillraceError } from 'millrace'
import { packageFolder } from '../package-folder.ts'

/** Packages of an app besides Millrace: schemas of its tools, its store and its model. */
const others = ['@anthropic-ai/sdk', 'libsql', 'zod']

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

/** The used members of this package's manifest. */
interface OwnManifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly engines: object
}

/** Creates the package.json of an app in an existing folder. It names the library, the tools, and the optional peers that the app uses. */
async function createManifest(folder: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8')
  const { version, dependencies, engines } = JSON.parse(text) as OwnManifest
  const app = await realpath(folder)
  const needed = {
    ...Object.fromEntries(others.map((name) => [name, dependencies[name]])),
    millrace: await findSource(app, '../millrace', version),
    'millrace-tools': await findSource(app, '.', version),
  }
  const manifest = {
    name: toName(basename(app)),
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'millrace serve agents.js --page public',
      studio: 'millrace dev agents.js',
    },
    dependencies: Object.fromEntries(
      Object.entries(needed).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
    engines,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Returns the version of a package, or its folder if the tools run in a clone. */
async function findSource(app: string, place: string, version: string): Promise<string> {
  const home = await realpath(packageFolder)
  if (home.split(sep).includes('node_modules')) return `^${version}`
  return `file:${relative(app, join(home, place)).split(sep).join('/')}`
}

/** Returns a name that npm accepts. */
function toName(text: string): string {
  const name = text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return name.replace(/^-|-$/g, '') || 'mill'
}

/** The files of a new app besides its package.json, with descriptions. */
export const templateFiles: Readonly<Record<string, string>> = {
  'agents.js': 'the agent and its tool: start here',
  'model.js': 'the model; a stand-in without a key',
  'public/index.html': 'the page',
  'public/chat.js': 'its script',
  'public/style.css': 'its style',
  'README.md': 'how to run it',
  '.gitignore': 'the files that git ignores',
}

/** Returns the path of a template file; npm does not pack `.gitignore`. */
function templatePath(file: string): string {
  return join(packageFolder, 'template', file.replace('.gitignore', 'gitignore'))
}
