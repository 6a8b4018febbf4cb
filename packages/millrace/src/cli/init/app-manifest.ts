import { readFile, realpath } from 'node:fs/promises'
import { basename, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The library's own folder, above `dist` and `src` alike. */
const library = new URL('../../../', import.meta.url)

/** Writes the package.json of an app in a folder that exists: it depends on the library that makes it. */
export async function createManifest(folder: string): Promise<string> {
  const own = JSON.parse(await readFile(new URL('package.json', library), 'utf8')) as {
    readonly version: string
    readonly dependencies: { readonly zod: string }
    readonly engines: object
  }
  const app = await realpath(folder)
  const manifest = {
    name: toName(basename(app)),
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'millrace serve agents.js --page public',
      studio: 'millrace dev agents.js',
    },
    dependencies: { millrace: await findSource(app, own.version), zod: own.dependencies.zod },
    engines: own.engines,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** From the registry, or from a clone where the library runs in one. */
async function findSource(app: string, version: string): Promise<string> {
  const home = await realpath(fileURLToPath(library))
  const isInstalled = home.split(sep).includes('node_modules')
  return isInstalled ? `^${version}` : `file:${relative(app, home).split(sep).join('/')}`
}

/** What npm takes as a name. */
function toName(text: string): string {
  const name = text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return name.replace(/^-|-$/g, '') || 'mill'
}
