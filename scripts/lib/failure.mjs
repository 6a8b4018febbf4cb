/** A problem for the user at the terminal; shown without a stack. */
export class Failure extends Error {}

/** Runs a command's work, prints a failure as plain text, and sets the exit code. */
export async function command(work) {
  try {
    process.exitCode = (await work()) ?? 0
  } catch (error) {
    console.error(error instanceof Failure ? `\n${error.message}` : error)
    process.exitCode = 1
  }
}
