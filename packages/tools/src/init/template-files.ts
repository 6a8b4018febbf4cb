import { join } from 'node:path'
import { packageFolder } from '../package-folder.ts'

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
export function templatePath(file: string): string {
  return join(packageFolder, 'template', file.replace('.gitignore', 'gitignore'))
}
