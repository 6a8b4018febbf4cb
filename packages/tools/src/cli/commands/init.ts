import { parseArgs } from 'node:util'
import type { Command } from '../command.ts'
import { templateFiles } from '../../init/template-files.ts'
import { writeApp } from '../../init/write-app.ts'
import { misuse } from '../misuse.ts'

const usage = `[FOLDER]

  FOLDER  where to put the app; this folder if none is named

Writes a small app with one agent, one tool and a page, and overwrites nothing.`

/** `millrace init`: a small app to begin with. */
export const init: Command = {
  usage,
  run: async (args, terminal) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true })
    const [folder = '.', second] = positionals
    if (second !== undefined) throw misuse('One folder is written at a time.')
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
    `  A small app is in ${folder}:`,
    '',
    ...files.map(([file, meaning]) => `    ${file.padEnd(width)}  ${meaning}`),
    '',
    '  Run it:',
    '',
    ...(folder === '.' ? [] : [`    cd ${folder}`]),
    '    npm install',
    '    npm start',
    '',
    '  and open http://127.0.0.1:8787. ANTHROPIC_API_KEY lets Claude answer; without it a scripted stand-in does.',
    '  In place of the page, npm run studio shows Studio at that address: the agent, and every frame of its stream.',
    '',
  ].join('\n')
}
