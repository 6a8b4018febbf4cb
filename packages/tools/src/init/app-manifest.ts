import { readFile, realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { packageFolder } from '../package-folder.ts'

/** The used members of this package's manifest. */
interface OwnManifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly engines: object
}

/** Packages of an app besides Millrace: schemas of its tools, its store and its model. */
const others = ['@anthropic-ai/sdk', 'libsql', 'zod']

/** Creates the package.json of an app in an existing folder. It names the library, the tools, and the optional peers that the app uses. */
export async function createManifest(folder: string): Promise<string> {
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
