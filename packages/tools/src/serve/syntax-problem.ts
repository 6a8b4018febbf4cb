import { execFile } from 'node:child_process'

/** Maximum shown length of a line: a file without line breaks would fill the screen. */
const maxLineChars = 200

const checkTimeoutMs = 5_000

/**
 * Describes a syntax error that prevented the import of a file; undefined if the module itself threw the error. Node
 * hides the position of such an error, but prints it when it only checks a file.
 */
export async function findSyntaxProblem(
  file: string,
  error: SyntaxError,
): Promise<string | undefined> {
  const [said = '', firstFrame = ''] = (error.stack ?? '').split(/\n\s+at /, 2)
  // A module that parses bad JSON at run time has the parser or itself there.
  if (!firstFrame.includes('node:internal/')) return undefined
  // The import of a name that is not exported includes its position.
  if (!said.startsWith(error.name)) return `${file} cannot be loaded:\n${said}`
  const found = await checkSyntax(file)
  if (found !== undefined) return `${file} cannot be read:\n${found}`
  return `A module that ${file} imports cannot be read: ${error.message}. The syntax of ${file} itself is correct; \`node --check\` shows the line in the other modules.`
}

/** Returns the position and the problem as Node prints them; undefined if it finds none. */
async function checkSyntax(file: string): Promise<string | undefined> {
  // Modules that are preloaded, such as telemetry, must not run.
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
