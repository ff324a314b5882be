import "./chrome/shell";
import "./machine/page";
