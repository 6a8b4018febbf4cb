import { execFile } from 'node:child_process'

/** What is shown of a line: a file without line breaks would fill the screen. */
const maxLineChars = 200

const checkTimeoutMs = 5_000

/**
 * Says where the syntax is wrong if that is why a file could not be imported, and undefined if the error is the
 * module's own. Node keeps the place of such an error to itself, but tells it where it only checks a file.
 */
export async function findSyntaxProblem(
  file: string,
  error: SyntaxError,
): Promise<string | undefined> {
  const [said = '', firstFrame = ''] = (error.stack ?? '').split(/\n\s+at /, 2)
  // A module that parses bad JSON as it runs has the parser or itself there.
  if (!firstFrame.includes('node:internal/')) return undefined
  // An import of a name that is not exported comes with its place.
  if (!said.startsWith(error.name)) return `${file} cannot be loaded:\n${said}`
  const found = await checkSyntax(file)
  if (found !== undefined) return `${file} cannot be read:\n${found}`
  return `A module that ${file} imports cannot be read: ${error.message}. The syntax of ${file} itself is right; \`node --check\` shows the line in the others.`
}

/** The place and the problem as Node shows them; undefined if it finds none. */
async function checkSyntax(file: string): Promise<string | undefined> {
  // What is loaded before the server, such as telemetry, has no part in this.
  const { NODE_OPTIONS: _, ...env } = process.env
  const options = { env, timeout: checkTimeoutMs }
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--check', file], options, (_error, _stdout, stderr) => {
      resolve(stderr)
    })
  })
  const lines = printed.split('\n')
  const last = lines.findIndex((line) => line.startsWith('SyntaxError'))
  if (last === -1) return undefined
  const shown = lines.slice(0, last + 1).filter((line) => line.trim() !== '')
  return shown.map((line) => line.slice(0, maxLineChars)).join('\n')
}
