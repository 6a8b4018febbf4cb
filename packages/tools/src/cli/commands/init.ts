import { parseArgs } from 'node:util'
import { type Command, misuse } from '../command.ts'
import { templateFiles, writeApp } from '../../init/write-app.ts'

const usage = `[FOLDER]

  FOLDER  the folder of the app; default: the current one

Creates a small app with one agent, one tool and a page. Overwrites nothing.`

/** `millrace init`: creates a small app. */
export const init: Command = {
  usage,
  run: async (args, terminal) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true })
    const [folder = '.', second] = positionals
    if (second !== undefined) throw misuse('Only one folder can be named.')
    await writeApp(folder)
    terminal.print(describeApp(folder))
    return 0
  },
}

function describeApp(folder: string): string {
  const width = Math.max(...Object.keys(templateFiles).map(({ length }) => length))
  const files = Object.entries(templateFiles)
  return [
    '',
    `  Created a small app in ${folder}:`,
    '',
    ...files.map(([file, meaning]) => `    ${file.padEnd(width)}  ${meaning}`),
    '',
    '  Run it:',
    '',
    ...(folder === '.' ? [] : [`    cd ${folder}`]),
    '    npm install',
    '    npm start',
    '',
    '  and open http://127.0.0.1:8787. With ANTHROPIC_API_KEY, Claude answers; without it, a scripted stand-in.',
    '  npm run studio serves Studio at that address instead of the page: the agent, and every frame of its stream.',
    '',
  ].join('\n')
}
