import "./chrome/shell";
