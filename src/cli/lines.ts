/** Text that arrives in pieces -> whole lines. */

/** Splits pieces at line ends (`\n` or `\r\n`); blank lines are left out, and so is a leading byte order mark. */
export class Lines {
  #rest = '';
  #first = true;

  /** The non-blank lines that this piece completes. */
  push(piece: string): readonly string[] {
    const parts = this.#withoutMark(piece).split('\n');
    parts[0] = `${this.#rest}${parts[0] ?? ''}`;
    this.#rest = parts.pop() ?? '';
    return parts.map(withoutReturn).filter(isText);
  }

  /** What stood behind the last line end, when the input has ended. */
  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = '';
    return [withoutReturn(rest)].filter(isText);
  }

  #withoutMark(piece: string): string {
    if (!this.#first || piece === '') return piece;
    this.#first = false;
    return piece.startsWith('\uFEFF') ? piece.slice(1) : piece;
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function isText(line: string): boolean {
  return line.trim() !== '';
}
