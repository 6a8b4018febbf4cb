import { join } from 'node:path'
import { packageFolder } from '../package-folder.ts'

/** The files of a new app besides its package.json, each with what it is. */
export const templateFiles: Readonly<Record<string, string>> = {
  'agents.js': 'the agent and its tool: begin here',
  'model.js': 'which model answers; a stand-in without a key',
  'public/index.html': 'the page',
  'public/chat.js': 'its script',
  'public/style.css': 'its looks',
  'README.md': 'how to run it',
  '.gitignore': 'what is not to be kept',
}

/** Returns the path of a file's text; npm leaves a `.gitignore` out of what it packs. */
export function templatePath(file: string): string {
  return join(packageFolder, 'template', file.replace('.gitignore', 'gitignore'))
}
